import type { RequestView } from './requests.ts'

/** The words for an agent whose request was not allowed. */
export const denialOf = ({ status, answer }: Pick<RequestView, 'status' | 'answer'>): string => {
  if (status === 'denied' && answer !== null && answer !== 'deny') return `A person denied this: ${answer}`
  return denials[status as keyof typeof denials] ?? 'The request is closed.'
}

const denials = {
  open: 'No person could be asked. Do without it, or fail the task and say what was needed.',
  denied: 'A person denied this. Do without it, or fail the task and say what was needed.',
  expired: 'No answer in time, so it counts as denied. Do without it, or fail the task and say what was needed.',
  withdrawn: 'Your attempt has ended. End your turn.',
} as const
