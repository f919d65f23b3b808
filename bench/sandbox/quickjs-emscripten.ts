import { getQuickJS } from 'quickjs-emscripten'
import { bodyOf, type Contender } from './contender.js'

/** As its README does it: a context for each script, a promise for each call, JSON texts in and out. */
export const readmeStyle: Contender = {
  name: 'quickjs-emscripten as in its README',
  async prepare(script, tools) {
    const vm = (await getQuickJS()).newContext()
    const host = vm.newObject()
    for (const [name, tool] of Object.entries(tools)) {
      vm.newFunction(name, (text) => {
        const promise = vm.newPromise()
        void answer(tool, JSON.parse(vm.getString(text))).then((result) =>
          vm.newString(result).consume((handle) => promise.resolve(handle)),
        )
        void promise.settled.then(() => vm.runtime.executePendingJobs())
        return promise.handle
      }).consume((handle) => vm.setProp(host, name, handle))
    }
    host.consume((handle) => vm.setProp(vm.global, 'host', handle))
    vm.unwrapResult(vm.evalCode(bridge)).dispose()
    return {
      async run() {
        const promise = vm.unwrapResult(vm.evalCode(wrapped(bodyOf(script))))
        const settled = vm.resolvePromise(promise)
        promise.dispose()
        vm.runtime.executePendingJobs()
        const text = vm.unwrapResult(await settled).consume((handle) => vm.getString(handle))
        return JSON.parse(text) as unknown
      },
      close: () => vm.dispose(),
    }
  },
}

/** What the guest of a bridge that speaks JSON text has. */
export const bridge = `globalThis.tools = {}
for (const name of Object.keys(host)) tools[name] = async (input) => JSON.parse(await host[name](JSON.stringify(input)))`

export const wrapped = (body: string): string => `(async () => {${body}\n})().then(JSON.stringify)`

export const answer = async (tool: (input: never) => unknown, input: unknown): Promise<string> =>
  JSON.stringify(await tool(input as never))
