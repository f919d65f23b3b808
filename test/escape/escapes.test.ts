import { describeEscapes } from '../conformance/sandbox-escapes.js'
import { createNodeSandbox } from '../sandbox/node-sandbox.js'

describeEscapes('threads of Node', async () => (await createNodeSandbox()).sandbox)
