import type { ModelDelta, Model } from '../models/model.js'
import { fromFailure } from '../errors.js'
import type { HostedModel, PageApi } from './protocol.js'

/** Models that live on the page: each request goes there, and its deltas come back by its id. */
export class HostedModels {
  readonly #open = new Map<string, (delta: ModelDelta) => void>()

  constructor(
    private readonly page: PageApi,
    private readonly newId: () => string,
  ) {}

  model({ provider, model }: HostedModel): Model {
    return {
      provider,
      model,
      generate: async (request, { signal, onDelta }) => {
        const id = this.newId()
        const abort = () => this.page.abort(id)
        this.#open.set(id, onDelta)
        signal.addEventListener('abort', abort, { once: true })
        try {
          const reply = await this.page.generate(id, request)
          if (reply.ok) return reply.value
          const { code, ...failure } = reply.failure
          // What the page calls anything that is no error of ours.
          throw fromFailure({ ...failure, code: code === 'failed' ? 'model_failed' : code })
        } finally {
          signal.removeEventListener('abort', abort)
          this.#open.delete(id)
        }
      },
    }
  }

  /** A piece of an open reply; one that comes after its reply is dropped. */
  delta(id: string, delta: ModelDelta): void {
    this.#open.get(id)?.(delta)
  }
}
