import { useId } from 'preact/hooks'
import { pathOf } from './asked-input.js'

/** For how many more calls of the same script an answer is, and which fields must then be the same. */
export interface Rest {
  readonly count: number
  readonly fixed: readonly string[]
}

interface Props {
  readonly toolName: string
  readonly fields: readonly string[]
  readonly rest: Rest | undefined
  readonly onChange: (rest: Rest | undefined) => void
}

const most = 100

export function RestOfScript({ toolName, fields, rest, onChange }: Props) {
  const id = useId()
  return (
    <div class="asked-rest">
      <label>
        <input
          type="checkbox"
          checked={rest !== undefined}
          onChange={({ currentTarget: { checked } }) =>
            onChange(checked ? { count: 5, fixed: fields.map(pathOf) } : undefined)
          }
        />
        For the rest of this script
      </label>
      {rest && (
        <div class="asked-bounds">
          <label>
            {`More calls of ${toolName}, at most`}
            <input
              type="number"
              min={1}
              max={most}
              value={rest.count}
              onInput={({ currentTarget: { valueAsNumber } }) =>
                onChange({ ...rest, count: Math.min(most, Math.max(1, Math.round(valueAsNumber) || 1)) })
              }
            />
          </label>
          {fields.length > 0 && (
            <div role="group" aria-labelledby={`${id}-same`}>
              <span id={`${id}-same`}>Must be the same as here:</span>
              {fields.map((name) => (
                <label key={name}>
                  <input
                    type="checkbox"
                    checked={rest.fixed.includes(pathOf(name))}
                    onChange={({ currentTarget: { checked } }) =>
                      onChange({
                        ...rest,
                        fixed: fields
                          .map(pathOf)
                          .filter((path) => (path === pathOf(name) ? checked : rest.fixed.includes(path))),
                      })
                    }
                  />
                  <code>{name}</code>
                </label>
              ))}
            </div>
          )}
        </div>
      )}
    </div>
  )
}
