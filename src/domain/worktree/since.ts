import type { IntegrationState } from '../integration/integration.ts'
import type { Instant } from '../words/time.ts'
import type { FolderState, WorktreeState } from './worktree.ts'

export interface WorktreeTimes {
  readonly status: WorktreeState
  readonly folder: FolderState
  readonly createdAt: Instant
  readonly integration: {
    readonly status: IntegrationState
    readonly requestedAt: Instant
    readonly approvedAt: Instant | null
    readonly endedAt: Instant | null
    readonly verification: { readonly endedAt: Instant } | null
  } | null
}

export const worktreeSince = ({ integration, createdAt }: WorktreeTimes): Instant =>
  integration === null
    ? createdAt
    : (integration.endedAt ?? integration.approvedAt ?? integration.verification?.endedAt ?? integration.requestedAt)
