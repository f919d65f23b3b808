import { describe, expect, it } from 'vitest'
import { withTypeScript } from '../../src/sandbox/typescript.js'
import { at, failureOf, ok, startScript } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

describe('a script in TypeScript whose stripper does not load', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), () => Promise.reject(new TypeError('Failed to fetch')))

  it('does not compile', async () => {
    expect(await failureOf(sandbox, 'const a: number = 1\nreturn a')).toMatch(/^script_syntax/)
  })

  it('is not replayed as what it was not', async () => {
    const script = startScript(sandbox, 'const a: number = await tools.echo(1)\nreturn a')
    await expect(script.replay(at, [{ n: 0, at, result: ok(1) }])).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    })
  })
})
