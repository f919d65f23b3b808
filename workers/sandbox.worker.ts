import { serveSandbox } from '../src/sandbox/worker/serve.js'

serveSandbox(self)
