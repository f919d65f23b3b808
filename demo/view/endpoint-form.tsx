import { useState } from 'preact/hooks'
import { builtInAddress, providerNames, providers, toEndpoint, type Endpoint } from '../model/choice.js'

interface Props {
  readonly endpoint: Endpoint | undefined
  readonly isLocked: boolean
  readonly onChoose: (endpoint: Endpoint | undefined) => void
}

const examples = {
  openai: { baseURL: 'https://api.openai.com/v1', model: 'gpt-…' },
  anthropic: { baseURL: 'https://api.anthropic.com', model: 'claude-…' },
  gemini: { baseURL: 'https://generativelanguage.googleapis.com/v1beta', model: 'gemini-…' },
  'openai-compatible': { baseURL: 'http://localhost:11434/v1', model: 'qwen…' },
} as const

export function EndpointForm({ endpoint, isLocked, onChoose }: Props) {
  const [provider, setProvider] = useState(endpoint?.provider ?? 'openai')
  const [problem, setProblem] = useState<string>()
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const chosen = toEndpoint(Object.fromEntries(new FormData(event.currentTarget)))
    setProblem(chosen ? undefined : 'Give a base URL that starts with https:// or http://, and the name of a model.')
    if (chosen) onChoose(chosen)
  }
  return (
    <details class="endpoint">
      <summary>Use your own endpoint</summary>
      {builtInAddress && (
        <p>
          Or use <a href={builtInAddress}>the model of this browser</a>, which needs no key.
        </p>
      )}
      <form class="endpoint-form" onSubmit={submit}>
        <label>
          Provider
          <select
            name="provider"
            value={provider}
            onChange={({ currentTarget }) =>
              setProvider(providers.find((name) => name === currentTarget.value) ?? provider)
            }
          >
            {providers.map((name) => (
              <option key={name} value={name}>
                {providerNames[name]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Base URL
          <input
            name="baseURL"
            type="url"
            required
            placeholder={examples[provider].baseURL}
            defaultValue={endpoint?.baseURL ?? ''}
          />
        </label>
        <label>
          Model
          <input name="model" required placeholder={examples[provider].model} defaultValue={endpoint?.model ?? ''} />
        </label>
        <label>
          Key (optional)
          <input name="apiKey" type="password" autocomplete="off" defaultValue={endpoint?.apiKey ?? ''} />
        </label>
        <p class="endpoint-warning">
          A key in a page is for experiments on your own computer: everybody who can open the page can read it. It is
          kept in this tab only, and sent only to the base URL.
        </p>
        {problem && (
          <p class="notice notice-error" role="alert">
            {problem}
          </p>
        )}
        <div class="endpoint-buttons">
          <button type="submit" class="button-primary" disabled={isLocked}>
            Use this endpoint
          </button>
          {endpoint && (
            <button type="button" disabled={isLocked} onClick={() => onChoose(undefined)}>
              Back to the scripted model
            </button>
          )}
        </div>
      </form>
    </details>
  )
}
