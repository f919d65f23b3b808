import { QuickJS } from 'quickjs-wasi'
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url'
import { bodyOf, type Contender } from './contender.js'
import { answer, bridge, wrapped } from './quickjs-emscripten.js'

let compiled: Promise<WebAssembly.Module> | undefined

/** As its README does it: compiled once, a VM for each script, a promise for each call, JSON texts in and out. */
export const quickjsWasi: Contender = {
  name: 'quickjs-wasi as in its README',
  async prepare(script, tools) {
    const vm = await QuickJS.create({ wasm: await (compiled ??= WebAssembly.compileStreaming(fetch(wasmUrl))) })
    const host = vm.newObject()
    for (const [name, tool] of Object.entries(tools)) {
      vm.newFunction(name, (text) => {
        const promise = vm.newPromise()
        void answer(tool, JSON.parse(text!.toString())).then((result) => {
          vm.newString(result).consume((handle) => promise.resolve(handle))
          vm.executePendingJobs()
        })
        return promise.handle
      }).consume((handle) => vm.setProp(host, name, handle))
    }
    host.consume((handle) => vm.setProp(vm.global, 'host', handle))
    vm.evalCode(bridge).dispose()
    return {
      async run() {
        const promise = vm.evalCode(wrapped(bodyOf(script)))
        const settled = vm.resolvePromise(promise)
        vm.executePendingJobs()
        const result = await settled
        promise.dispose()
        if ('error' in result) throw new Error(result.error.consume((handle) => handle.toString()))
        return JSON.parse(result.value.consume((handle) => handle.toString())) as unknown
      },
      close: () => vm.dispose(),
    }
  },
}
