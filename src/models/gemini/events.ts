/**
 * The events of a stream as its SDK can read them: each one line of data and a blank one, also the last. It reads only when it is
 * read, so that the time in which nobody does counts for no silence.
 */
export function plainEvents(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  let data: string[] = []

  const take = (line: string): string => {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    // An error may come as JSON alone, on several lines. Comments and other fields say nothing.
    else if (line.startsWith('{') || (data.length > 0 && /^[\s}]/.test(line))) data.push(line)
    if (line !== '' || data.length === 0) return ''
    // In JSON a line break stands only between two words.
    const text = data.join(' ')
    data = []
    return text === '' ? '' : `data: ${text}\n\n`
  }
  const read = (text: string, isLast: boolean): string => {
    // A carriage return at the end may be half of a break.
    const lines = (rest + text).split(isLast ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/)
    rest = isLast ? '' : lines.pop()!
    return [...lines, ...(isLast ? [''] : [])].map(take).join('')
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          const text = read(done ? decoder.decode() : decoder.decode(value, { stream: true }), done)
          if (text !== '') controller.enqueue(encoder.encode(text))
          if (done) return controller.close()
          if (text !== '') return
        }
      },
      cancel: (reason) => reader.cancel(reason).catch(() => undefined),
    },
    { highWaterMark: 0 },
  )
}
