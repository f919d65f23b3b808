import { expect, it } from 'vitest'

/** A page that demands Trusted Types, in a frame; what its script finds out comes back as a message. */
function inStrictFrame(script: string): Promise<Record<string, string>> {
  const frame = document.createElement('iframe')
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="require-trusted-types-for 'script'; trusted-types handrail">
    <script type="module">const found = {}; try { ${script} } catch (error) { found.failed = String(error) } parent.postMessage(found, '*')</script>`
  return new Promise((resolve) => {
    addEventListener('message', function listen(event) {
      if (event.source !== frame.contentWindow) return
      removeEventListener('message', listen)
      frame.remove()
      resolve(event.data as Record<string, string>)
    })
    document.body.append(frame)
  })
}

it('the agent worker starts on a page that demands Trusted Types', async () => {
  const url = new URL('../../src/client/spawn.ts', import.meta.url).href
  const found = await inStrictFrame(`
    try { new Worker('/workers/agent.worker.ts') } catch (error) { found.plain = error.name }
    const { spawnAgentWorker } = await import(${JSON.stringify(url)})
    const worker = spawnAgentWorker()
    found.greeting = (await new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }))).data.handrail
    const again = spawnAgentWorker()
    found.again = (await new Promise((resolve) => again.addEventListener('message', resolve, { once: true }))).data.handrail
    worker.terminate()
    again.terminate()
    try { trustedTypes.createPolicy('handrail', {}) } catch (error) { found.policy = error.name }
  `)
  expect(found).toEqual({ plain: 'TypeError', greeting: 'ready', again: 'ready', policy: 'TypeError' })
})
