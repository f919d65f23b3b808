import { describeGlobals } from '../conformance/globals.js'
import { createBrowserSandbox } from './sandbox-workers.js'

const { sandbox } = createBrowserSandbox()

describeGlobals('the sandbox in workers', () => sandbox)
