import type { RunModes } from 'handrail'

export const modes = ['usual', 'read-only', 'ask-all'] as const
export type Mode = (typeof modes)[number]

export const modeNames: Readonly<Record<Mode, string>> = {
  usual: 'act as usual',
  'read-only': 'only read',
  'ask-all': 'ask for everything',
}

export const toRunModes = (mode: Mode): RunModes => ({
  ...(mode === 'read-only' && { readOnly: true }),
  ...(mode === 'ask-all' && { askAll: true }),
})

export function fromRunModes({ readOnly, askAll }: RunModes): Mode {
  if (readOnly) return 'read-only'
  return askAll ? 'ask-all' : 'usual'
}
