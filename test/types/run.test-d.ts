import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { Agent } from '../../src/client/agent.js'
import type { Run } from '../../src/client/run.js'
import type { Session } from '../../src/client/session.js'

declare const agent: Agent
declare const session: Session

describe('run() infers', () => {
  it('a text where nothing is said', () => {
    expectTypeOf(agent.run('Hi')).toEqualTypeOf<Run<string>>()
    expectTypeOf(session.run('Hi', { readOnly: true })).toEqualTypeOf<Run<string>>()
  })

  it('the value of a JSON Schema that is written out', async () => {
    const { answer } = agent.run('Hi', {
      answer: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
    })
    expectTypeOf((await answer).total).toEqualTypeOf<number>()
  })

  it("the value of a library's schema, before its transforms", async () => {
    const { answer } = session.run('Hi', { answer: z.object({ on: z.string().transform((text) => new Date(text)) }) })
    expectTypeOf((await answer).on).toEqualTypeOf<string>()
  })

  it('nothing of the runs that a session has', () => {
    expectTypeOf(session.runs[0]!.answer).resolves.toEqualTypeOf<unknown>()
  })
})
