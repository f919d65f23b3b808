/** The script's call that asked for a call. Undefined: the model did. */
export const parentOf = (callId: string): string | undefined =>
  callId.includes('/') ? callId.slice(0, callId.lastIndexOf('/')) : undefined
