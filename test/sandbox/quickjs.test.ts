import { describeSandbox } from '../conformance/sandbox.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

describeSandbox('the isolate in this thread', createIsolateSandbox)
