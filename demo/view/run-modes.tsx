import { modeNames, modes, type Mode } from '../modes.js'

interface Props {
  readonly mode: Mode
  readonly isRunning: boolean
  readonly onChange: (mode: Mode) => void
}

/** What the assistant may do, from now on: also of the request that it is at. */
export function RunModes({ mode, isRunning, onChange }: Props) {
  return (
    <fieldset class="modes">
      <legend>{isRunning ? 'The assistant may, from now on' : 'The assistant may'}</legend>
      {modes.map((each) => (
        <label key={each} class="modes-choice">
          <input type="radio" name="mode" value={each} checked={mode === each} onChange={() => onChange(each)} />
          {modeNames[each]}
        </label>
      ))}
    </fieldset>
  )
}
