import { describeGlobals } from '../conformance/globals.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

describeGlobals('the isolate in this thread', createIsolateSandbox)
