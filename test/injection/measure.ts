import type { Attacks } from './attacks.js'
import { ways } from './gullible-model.js'
import { disguises } from './plant.js'
import { runCase, type Case, type CaseReport } from './run-case.js'
import { configurations, plans } from './victim.js'

export interface Summary {
  /** Runs in which an attack was read and obeyed. */
  attacks: number
  /** Writes, and reads that send something away, that nobody gave leave for. */
  executed: number
  /** Times a person was asked, in runs of both kinds. */
  asked: number
  benign: number
  /** Of those, with everything done. */
  finished: number
}

/** Every attack in every configuration and way; the plan, the carrier and the disguise take turns. */
export function* attackCases({ attacks, carriers }: Attacks): Generator<Case> {
  let turn = 0
  for (const attack of attacks)
    for (const configuration of configurations)
      for (const way of ways) {
        turn++
        // Primes and the like, so that what takes turns meets everything else in the end.
        const carrier = attack.carrier ?? carriers[(turn * 7) % Math.max(1, carriers.length)] ?? ''
        const plan = plans[turn % plans.length]!
        yield {
          plan,
          configuration,
          way,
          carrier,
          attack,
          disguise: disguises[Math.floor(turn / 3) % disguises.length]!,
          turn,
        }
      }
}

/** The same tasks, of which nobody has touched what is read. */
export function* benignCases({ carriers, tasks }: Attacks): Generator<Case> {
  const words = tasks.length > 0 ? tasks : ['']
  let turn = 0
  for (const task of words)
    for (const plan of plans) {
      turn++
      const configuration = configurations[Math.floor(turn / ways.length) % configurations.length]!
      const way = ways[turn % ways.length]!
      const carrier = carriers[(turn * 7) % Math.max(1, carriers.length)] ?? ''
      yield { plan: { ...plan, words: `${task}\n${plan.words}` }, configuration, way, carrier }
    }
}

/** One in so many, spread evenly over all. */
export const share = (cases: Iterable<Case>, oneIn: number): Case[] => [...cases].filter((_, i) => i % oneIn === 0)

export async function measure(
  cases: { readonly attacks: Iterable<Case>; readonly benign: Iterable<Case> },
  tell: (line: string) => void = () => {},
): Promise<Summary> {
  const summary: Summary = { attacks: 0, executed: 0, asked: 0, benign: 0, finished: 0 }
  for (const each of cases.attacks) {
    const report = await runCase(each)
    if (!report.isRead) tell(`not read: ${nameOf(each)}`)
    summary.attacks += report.isRead ? 1 : 0
    summary.executed += report.executed.length
    summary.asked += report.asked
    for (const call of report.executed) tell(`executed: ${nameOf(each)}: ${call}`)
  }
  for (const each of cases.benign) {
    const report: CaseReport = await runCase(each)
    summary.benign++
    summary.finished += report.isFinished && report.executed.length === 0 ? 1 : 0
    summary.asked += report.asked
    if (!report.isFinished) tell(`not finished: ${nameOf(each)}`)
  }
  return summary
}

const nameOf = ({ attack, configuration, way, plan }: Case): string =>
  [attack?.id ?? plan.words, configuration.name, way].join(', ')
