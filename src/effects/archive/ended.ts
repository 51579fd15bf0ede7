/** A worktree that has ended and must be archived. */
export interface Ended {
  readonly name: string
  readonly branch: string
  readonly source: string
  readonly path: string
  readonly baseOid: string | null
  readonly status: 'integrated' | 'discarded'
  readonly reason: string | null
  readonly createdAt: string
  readonly endedAt: string
  readonly target: string
}
