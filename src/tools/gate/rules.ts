import type { Verdict } from '../../core/events.js'
import type { Risk } from '../../core/tool-definition.js'
import type { Rule, RuleName, Said, Subject } from './context.js'

/** What each risk does in an agent that says nothing of it. */
export const defaultPolicy: Readonly<Record<Risk, Verdict>> = {
  read: 'allow',
  reversible: 'ask',
  irreversible: 'ask',
  sensitive: 'ask',
}

const riskReasons: Readonly<Record<Risk, string>> = {
  read: 'It reads, which this app asks about.',
  reversible: 'It changes something, and can be undone.',
  irreversible: 'It cannot be undone.',
  sensitive: 'It touches something sensitive.',
}

/** Warnings that a person is shown. */
const mostWarnings = 16

const ask = (rule: RuleName, ...reasons: readonly string[]): Said[] =>
  reasons.map((reason) => ({ rule, verdict: 'ask', reason }))

const modeRule: Rule = {
  name: 'mode',
  say: (_, { modes }) => (modes.askAll ? ask('mode', 'Every call of this run asks.') : []),
}

/** The policy's word, which the tool may lift as far as it only asks, and never of what is sensitive. */
const riskRule: Rule = {
  name: 'risk',
  say({ tool: { definition, mode }, page }, { policy }) {
    if (mode === 'script') return []
    const { risk, name, approval } = definition
    const needed = page.needed ?? approval?.needed
    const verdict = policy[risk]
    if (verdict !== 'allow' && verdict !== 'ask') {
      const reason = `"${name}" may not be called: the policy of this app denies what is ${risk}.`
      return [{ rule: 'risk', verdict: 'deny', code: 'not_allowed', reason }]
    }
    if (risk === 'sensitive') return ask('risk', riskReasons[risk])
    if (verdict === 'allow' ? needed !== true : needed === false) return []
    return ask('risk', risk === 'read' && verdict === 'allow' ? 'The tool asks about this call.' : riskReasons[risk])
  },
}

/** What came of the library's schema and of the tool's `needed` is the page's word too. */
const checkRule: Rule = {
  name: 'check',
  say: ({ page }) => page.answers.filter(({ rule }) => rule !== 'guardrail'),
}

const guardrailRule: Rule = {
  name: 'guardrail',
  say: ({ page }) => page.answers.filter(({ rule }) => rule === 'guardrail'),
}

const repeatRule: Rule = {
  name: 'repeat',
  say({ tool: { definition, mode }, input }, context) {
    const { name, repeat = 'ask' } = definition
    const earlier = mode === 'write' && repeat !== 'allow' ? context.repeated(name, input) : undefined
    if (!earlier) return []
    const how = earlier.outcome === 'ok' ? 'and took effect' : 'and its outcome is unknown'
    const reason = `The same call of ${name} with the same input was made earlier in this conversation, ${how}.`
    if (repeat === 'ask') return ask('repeat', reason)
    return [{ rule: 'repeat', verdict: 'deny', code: 'repeated', reason: `${reason} It is call ${earlier.call}.` }]
  },
}

const unknownRule: Rule = {
  name: 'unknown',
  say: ({ tool: { mode } }, { openUnknown }) =>
    mode === 'write'
      ? ask(
          'unknown',
          ...openUnknown.map(
            ({ callId, toolName }) =>
              `It is not known whether the earlier call ${callId} of "${toolName}" took effect.`,
          ),
        )
      : [],
}

const providerRule: Rule = {
  name: 'provider',
  say: () => ask('provider', 'The provider of the model runs it: what it does is not checked here.'),
}

/** What can carry somebody else's words on. */
const actsOutside = ({ tool: { definition, mode } }: Subject): boolean =>
  mode === 'write' || (mode === 'read' && definition.openWorld === true)

const warningRule: Rule = {
  name: 'warning',
  say(subject, { warnings }) {
    if (!actsOutside(subject)) return []
    const more = warnings.length - mostWarnings
    return ask('warning', ...warnings.slice(0, mostWarnings), ...(more > 0 ? [`There are ${more} more warnings.`] : []))
  },
}

/** In this order: reasons are shown, and hashed, in it. */
export const rules: readonly Rule[] = [
  modeRule,
  riskRule,
  checkRule,
  guardrailRule,
  repeatRule,
  unknownRule,
  warningRule,
]

/** Asked only of what all the others allow: a call that asks anyway says by its detail that untrusted text was read. */
export const trustRule: Rule = {
  name: 'trust',
  say(subject, { untrusted }) {
    if (untrusted.length === 0 || !actsOutside(subject) || subject.tool.definition.safe) return []
    return ask('trust', 'Text that is not trusted was read earlier in this conversation.')
  },
}

/** Of a call that the provider runs. It always asks. */
export const providedRules: readonly Rule[] = [modeRule, providerRule, guardrailRule, warningRule]
