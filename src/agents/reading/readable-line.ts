import type { Reading } from './reading.ts'

/** A reading for a person who follows the log: one plain line, or a text unchanged; undefined for counts. */
export const readableLine = (reading: Reading): string | undefined => {
  switch (reading.kind) {
    case 'text':
      return reading.text
    case 'tool':
      return line('●', reading.name, reading.about)
    case 'tool_failed':
      return line('✗', reading.name, reading.about || 'failed')
    case 'denied':
      return line('✗ denied', reading.name, reading.about)
    case 'no_server':
    case 'limited':
    case 'unauthorized':
    case 'no_session':
      return line('!', reading.sentence)
    case 'ended':
      return line(reading.ok ? '■ ended' : '■ ended with an error:', reading.ok ? '' : reading.sentence)
    case 'note':
      return reading.level === 'info' ? reading.text : line('!', reading.text)
    case 'session':
    case 'model':
    case 'usage':
    case 'context':
      return undefined
  }
}

const line = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')
