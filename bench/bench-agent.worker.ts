import 'handrail/agent.worker'
import { appendBare, appendByLog, getAllRows, openLog } from './appends.js'
import type { BenchRequest } from './bench-worker.js'

const ways = { append: appendBare, 'append-log': appendByLog, 'get-all': getAllRows, 'open-log': openLog }

/*
 * The agent worker as it is published, which also does what it is measured against: a bare piece of work in the same worker.
 */
addEventListener('message', ({ data, ports }: MessageEvent<BenchRequest | { readonly bench?: undefined }>) => {
  const [port] = ports
  switch (data.bench) {
    case 'echo':
      return void (port!.onmessage = (event) => port!.postMessage({ ok: true, value: event.data }))
    case 'append':
    case 'append-log':
    case 'get-all':
    case 'open-log':
      return void ways[data.bench](data.events).then((ms) => port!.postMessage(ms))
    case undefined: // The agent's own.
  }
})
