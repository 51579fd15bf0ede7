/**
 * How a person hands a conversation back: the agent continues it, the task is done or has failed, or it is pending
 * again for any agent.
 */
export const handBacks = ['agent', 'done', 'failed', 'board'] as const
export type HandBack = (typeof handBacks)[number]
