import { expect, it } from 'vitest'
import { WorkerLink } from '../../src/sandbox/worker/worker-link.js'

/** A worker that takes some time to be written to, and answers later. */
function slowWorker(writing: number, answering: number): Worker {
  const listeners: ((event: { data: unknown }) => void)[] = []
  const worker = {
    terminate: () => undefined,
    addEventListener: (type: string, listener: (typeof listeners)[number]) => {
      if (type === 'message') listeners.push(listener)
    },
    postMessage({ id }: { id: number }) {
      for (const until = performance.now() + writing; performance.now() < until;);
      setTimeout(() => listeners.forEach((listener) => listener({ data: { id, type: 'ended' } })), answering)
    },
  }
  return worker as unknown as Worker
}

it('a worker that was sent megabytes has the time to read them', async () => {
  const link = new WorkerLink(slowWorker(400, 1_000))
  expect(await link.ask('ended', { type: 'end' }, 100)).toMatchObject({ type: 'ended' })
  expect(link.isLost).toBe(false)
})

it('one that was sent little must answer in time', async () => {
  const link = new WorkerLink(slowWorker(0, 2_000))
  await expect(link.ask('ended', { type: 'end' }, 100)).rejects.toMatchObject({ reason: 'time' })
  expect(link.isLost).toBe(true)
})
