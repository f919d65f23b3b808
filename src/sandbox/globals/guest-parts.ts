import { calls } from './guest-calls.js'
import { chance } from './guest-chance.js'
import { clone } from './guest-clone.js'
import { console, consoleMore } from './guest-console.js'
import { date } from './guest-date.js'
import { encoding } from './guest-encoding.js'
import { exception } from './guest-exception.js'
import { format } from './guest-format.js'
import { intl } from './guest-intl.js'
import { locale } from './guest-locale.js'
import { timers } from './guest-timers.js'
import { url } from './guest-url.js'
import { values } from './guest-values.js'

/**
 * What version 2 evaluates on first use. Each is a function of the guest that takes the prelude's kit, and returns globals
 * by their names.
 */
export const parts = {
  values,
  calls,
  console,
  consoleMore,
  timers,
  date,
  format,
  intl,
  locale,
  clone,
  exception,
  url,
  encoding,
  chance,
}
