import { describeEscapes } from '../conformance/sandbox-escapes.js'
import { describeSandbox } from '../conformance/sandbox.js'
import { createBrowserSandbox } from './sandbox-workers.js'

const { sandbox } = createBrowserSandbox()

describeSandbox('the sandbox in workers', () => sandbox)
describeEscapes('the sandbox in workers', () => sandbox)
