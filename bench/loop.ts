import type { Model } from 'handrail'
import { between, callingModel, getOrder, runOnce, startAgent } from './agent.js'
import { askForLog, spawnBenchWorker } from './bench-worker.js'
import { compare, timeOf, type Comparison } from './compare.js'

const steps = 40
const rounds = 15
/** So many for one sample: a clock of a page is too coarse for one. */
const bareLoops = 100

/** A step has one model request and one call of a page tool: five events. */
export async function measure(): Promise<Comparison[]> {
  return [await overMemory(), await overIndexedDb()]
}

async function overMemory(): Promise<Comparison> {
  const agent = startAgent({ model: callingModel(steps), store: 'memory' })
  await agent.ready
  const model = callingModel(steps)
  const comparison = await compare({
    what: 'A step of the loop, store memory',
    unit: 'step',
    rounds,
    subject: { what: 'a run: loop in the agent worker, tool and model on the page', run: () => stepOf(runOnce(agent)) },
    baseline: {
      what: 'a bare loop on the page over the same model and tool',
      run: async () => {
        const time = await timeOf(async () => {
          for (let i = 0; i < bareLoops; i++) await bareLoop(model)
        })
        return time / bareLoops / steps
      },
    },
    aim: { of: 'difference', under: 2 },
  })
  agent.close()
  return comparison
}

async function overIndexedDb(): Promise<Comparison> {
  const worker = spawnBenchWorker()
  const agent = startAgent({ model: callingModel(steps), store: 'indexeddb', worker })
  const events = (await runOnce(agent)).map(({ event }) => event)
  const perStep = events.filter(({ type }) => type !== 'run-start' && type !== 'user-message').length / steps
  const comparison = await compare({
    what: 'A step of the loop, store IndexedDB',
    unit: 'step',
    rounds,
    subject: { what: 'a run: loop in the agent worker, tool and model on the page', run: () => stepOf(runOnce(agent)) },
    baseline: {
      what: 'bare appends of the same events in the same worker, as durable',
      run: async () => (await askForLog(worker, 'append', events)) * perStep,
    },
    aim: { of: 'ratio', under: 1.5 },
  })
  agent.close()
  return comparison
}

const stepOf = async (run: ReturnType<typeof runOnce>): Promise<number> =>
  between(
    await run,
    ({ type }) => type === 'step-start',
    ({ type }) => type === 'run-end',
  ) / steps

async function bareLoop(model: Model): Promise<void> {
  const messages: unknown[] = [{ role: 'user', text: 'Which orders can still be returned?' }]
  const { signal } = new AbortController()
  for (;;) {
    const request = { instructions: 'Help with orders.', tools: [getOrder.definition], messages: [], cacheKey: '' }
    const { parts } = await model.generate(request, { signal, onDelta: () => undefined })
    messages.push({ role: 'assistant', parts })
    const calls = parts.filter((part) => part.type === 'call')
    if (calls.length === 0) return
    for (const { inputText } of calls) {
      const input = JSON.parse(inputText) as { order_id: string }
      const output = await getOrder.run(input, { signal, runId: '', callId: '', idempotencyKey: '' })
      messages.push({ role: 'tool', output })
    }
  }
}
