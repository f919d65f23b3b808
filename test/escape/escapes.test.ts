import { describeEscapes } from '../conformance/sandbox-escapes.js'
import { createNodeSandbox } from '../sandbox/node-sandbox.js'

// The engine is the same as in the browser, where all of them are made; here, what differs is the thread.
describeEscapes('threads of Node', async () => (await createNodeSandbox()).sandbox, 3)
