import { z } from 'zod'
import { commandFor, type Said } from '../../domain/request/inbox-items.ts'
import { attentionKinds } from '../../domain/request/inbox.ts'
import { lazyObject } from '../perform/schemas.ts'

/** An item that waits for a person. */
export const attention = lazyObject(() => ({
  kind: z.enum(attentionKinds),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** The agent's request and its number. */
  agentId: z.string().nullable(),
  requestId: z.int().nullable(),
  /** The branch that was moved, if any. */
  target: z.string().optional(),
  /** The host that is back, if any. */
  host: z.string().optional(),
  since: z.string(),
  text: z.string(),
  /** The evidence in one line. */
  evidence: z.string(),
  /** The command that answers it, for a person without a console. */
  command: z.string(),
  /** A key that items share if they may be answered together; null if each is decided alone. */
  like: z.string().nullable(),
}))
export type Attention = z.output<ReturnType<typeof attention>>

/** An item without a subject except the given fields. */
export const attentionItem = (
  kind: Attention['kind'],
  since: string,
  said: Said,
  about: Partial<Pick<Attention, 'taskId' | 'worktree' | 'agentId' | 'requestId' | 'target' | 'host'>>,
  personaId: string | null = null,
): Attention => {
  const named = { kind, taskId: null, worktree: null, agentId: null, requestId: null, ...about }
  return { ...named, since, ...said, command: commandFor({ ...named, personaId }) }
}
