import { serveSandbox } from '../src/sandbox/serve.js'

serveSandbox(self)
