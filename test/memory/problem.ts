import { isFormatError } from '../../src/memory/format-error.ts'

/** The message with which a text is refused. */
export const problem = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    if (isFormatError(error)) return error.message
    throw error
  }
  throw new Error('expected a refusal')
}
