/**
 * Package, QuickJS and what we add, as a log names them: it is replayed on nothing else. The last number goes up with each
 * change of what a script can see or do.
 */
export const engineName = 'quickjs-emscripten 0.32.0, quickjs 2025-09-13, handrail 1'
