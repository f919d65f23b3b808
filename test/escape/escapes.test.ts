import { describeEscapes } from '../conformance/sandbox-escapes.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'

describeEscapes('the isolate in this thread', createIsolateSandbox)
