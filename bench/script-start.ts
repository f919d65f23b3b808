import { between, runOnce, scriptModel, startAgent } from './agent.js'
import { compare, timeOf, type Comparison } from './compare.js'

const rounds = 15
const code = 'return 1'

/** From a script's start in the log to its first turn, against what no worker can be under. */
export async function measure(): Promise<Comparison[]> {
  const agent = startAgent({ model: scriptModel(code), store: 'memory' })
  await agent.ready
  await untilSpare()
  const warm = await compare({
    what: 'Start of a script, warm',
    unit: 'start',
    rounds,
    subject: {
      what: 'from tool-start to the first script-turn, while a spare worker is ready',
      run: async () => {
        const time = startTime(await runOnce(agent))
        await untilSpare()
        return time
      },
    },
    baseline: bareWorker,
  })
  agent.close()
  const cold = await compare({
    what: 'Start of a script, cold',
    unit: 'start',
    rounds,
    subject: {
      what: 'the same for the first script of a new agent, asked for at once',
      run: async () => {
        const fresh = startAgent({ model: scriptModel(code), store: 'memory' })
        const time = startTime(await runOnce(fresh))
        fresh.close()
        return time
      },
    },
    baseline: bareWorker,
  })
  return [warm, cold]
}

const bareWorker = { what: 'a module worker that is spawned and answers one message', run: () => timeOf(askNewWorker) }

const startTime = (arrivals: Awaited<ReturnType<typeof runOnce>>): number =>
  between(
    arrivals,
    ({ type }) => type === 'tool-start',
    ({ type }) => type === 'script-turn',
  )

/** A spare worker says nothing when it is ready. */
const untilSpare = () => new Promise((resolve) => setTimeout(resolve, 1_000))

async function askNewWorker(): Promise<void> {
  const worker = new Worker(new URL('./echo.worker.ts', import.meta.url), { type: 'module' })
  await new Promise((resolve) => {
    worker.onmessage = resolve
    worker.postMessage('hello')
  })
  worker.terminate()
}
