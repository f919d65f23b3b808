import { timeOfAll } from './sandbox/contender.js'
import { readmeStyle } from './sandbox/quickjs-emscripten.js'
import { trivial } from './sandbox/scripts.js'

/** From a worker that is spawned to the result of a script, as the README of quickjs-emscripten does it. */
postMessage(await timeOfAll(readmeStyle, trivial, 1))
