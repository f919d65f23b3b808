import { describeSandbox } from '../conformance/sandbox.js'
import { createNodeSandbox } from './node-sandbox.js'

describeSandbox('the sandbox in threads of Node', async () => (await createNodeSandbox()).sandbox)
