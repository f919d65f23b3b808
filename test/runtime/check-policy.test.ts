import { describe, expect, it } from 'vitest'
import { checkPolicy } from '../../src/runtime/check-policy.js'

describe('checkPolicy()', () => {
  it('takes a verdict for any of the risks', () => {
    expect(() => checkPolicy({})).not.toThrow()
    expect(() =>
      checkPolicy({ read: 'ask', reversible: 'allow', irreversible: 'ask', sensitive: 'deny' }),
    ).not.toThrow()
  })

  it.each([
    [{ irreversable: 'deny' }, '"policy.irreversable" is not a risk; did you mean "irreversible"?'],
    [{ xyzxyz: 'deny' }, 'is not a risk; there are read, reversible, irreversible, sensitive'],
    [{ constructor: 'deny' }, '"policy.constructor" is not a risk'],
    [{ read: 'never' }, '"policy.read" must be one of allow, ask, deny; it is of type string'],
    [{ read: ['allow'] }, '"policy.read" must be one of allow, ask, deny; it is of type object'],
    [{ sensitive: undefined }, '"policy.sensitive" must be one of allow, ask, deny; it is of type undefined'],
  ])('refuses %j', (policy, message) => {
    expect(() => checkPolicy(policy)).toThrow(expect.objectContaining({ code: 'invalid_options' }))
    expect(() => checkPolicy(policy)).toThrow(message)
  })
})
