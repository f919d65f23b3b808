import { transform } from 'sucrase'
import type { StripTypes } from './typescript.js'

/** Load this file lazily: sucrase is large, and few scripts need it. */
export const stripTypes: StripTypes = (code) =>
  transform(code, { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: true }).code
