/** Messages of an agent to the person. */
export const mailText = {
  title: (agent: string) => `Messages of ${agent}`,
  why: 'These are the words of an agent. aiswarm does nothing because of them, and the agent waits for no answer.',
  head: (id: number, at: string, to: string) => `Message ${id}, ${at}${to === 'person' ? '' : `, to ${to}`}`,
  answer: (read: string, reply: string) => `${read} mark as read   ${reply} reply   esc back`,
  did: 'read',
  isRead: (n: number) => `${n} ${n === 1 ? 'message is' : 'messages are'} marked as read.`,
  gone: 'These messages are already marked as read. Press esc to go back.',
} as const
