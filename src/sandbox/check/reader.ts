import type { ScriptReader } from '../check.js'
import { checkScript } from './check-script.js'
import { parseScript } from './tree.js'
import { watchWaits } from './waits.js'

/** Load this file lazily: the parser is large. */
export const scriptReader: ScriptReader = { parse: parseScript, check: checkScript, watch: watchWaits }
