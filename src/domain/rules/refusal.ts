/** The closed set of refusals. A program switches on the code, a person acts on the sentence. */
export const refusalCodes = [
  'invalid_input',
  'not_allowed',
  'not_found',
  'already_exists',
  'invalid_state',
  'already_claimed',
  'lease_lost',
  'blocked',
  'not_due',
  'persona_mismatch',
  'worktree_mismatch',
  'worktree_busy',
  'dependency_cycle',
  'invalid_name',
  'reserved_name',
  'path_exists',
  'outside_worktree',
  'unfinished_tasks',
  'conflicted',
  'approval_void',
  'configuration_changed',
  'target_dirty',
  'would_lose_work',
  'archive_failed',
  'folder_in_use',
  'needs_terminal',
  'not_a_repository',
  'bare_repository',
  'no_commits',
  'git_missing',
  'git_too_old',
  'git_failed',
  'git_misled',
  'import_refused',
  'remote_unreachable',
  'setup_failed',
  'not_writable',
  'disk_failed',
  'config_invalid',
  'missing_binary',
  'sandbox_unavailable',
  'database_busy',
  'database_newer',
  'database_older',
  'database_foreign',
  'database_corrupt',
  'database_moved',
  'migration_failed',
  'store_unreachable',
  'store_read_only',
  'file_unreadable',
  'stale_supervisor',
  'stale_host',
  'host_forgotten',
  'host_unknown',
  'board_restored',
  'role_lost',
  'rate_limited',
  'not_owner',
] as const

export type RefusalCode = (typeof refusalCodes)[number]

/** The refusals that end by themselves: nothing was written, and the same call may succeed later. */
const passing: ReadonlySet<RefusalCode> = new Set(['store_unreachable', 'database_busy', 'rate_limited'])

/** A refusal that is part of the contract. Any other error is a bug and passes every layer unchanged. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  /** True if the same call may be repeated, and may succeed then. */
  readonly retryable: boolean

  constructor(code: RefusalCode, sentence: string, options?: { cause?: unknown; retryable?: boolean }) {
    super(sentence, options)
    this.code = code
    this.retryable = options?.retryable ?? passing.has(code)
  }
}

export const isRefusal = (error: unknown): error is Refusal => error instanceof Refusal

/** A refusal by the store itself, in which the board has decided nothing of what was asked. */
export class StoreRefusal extends Refusal {
  /** The name of an outage of which there are several sentences, such as those of a server that stops and starts. */
  readonly outage: string | undefined

  constructor(
    code: RefusalCode,
    sentence: string,
    options?: { cause?: unknown; retryable?: boolean; outage?: string | undefined },
  ) {
    super(code, sentence, options)
    this.outage = options?.outage
  }
}

/** The board is not there, or not for this process: these say nothing about the request. */
const undecided: ReadonlySet<RefusalCode> = new Set([
  'store_unreachable',
  'store_read_only',
  'database_busy',
  'database_newer',
  'database_older',
  'database_foreign',
  'database_corrupt',
  'database_moved',
  'stale_supervisor',
  'stale_host',
  'host_forgotten',
  'host_unknown',
  'board_restored',
  'role_lost',
])

/** True if nothing was decided: the refusal is never recorded as the result of the work, because another try may succeed. */
export const isUndecided: { (error: Refusal): boolean; (error: unknown): error is Refusal } = (
  error: unknown,
): error is Refusal =>
  isRefusal(error) && (error instanceof StoreRefusal || error.retryable || undecided.has(error.code))

const lasting: ReadonlySet<RefusalCode> = new Set([
  'board_restored',
  'host_unknown',
  'database_moved',
  'database_newer',
])

/** True if only a person ends the problem, so that it is said once. */
export const isLasting = ({ code }: Refusal): boolean => lasting.has(code)

/** True if the board has decided nothing and may do so later, without a person who starts aiswarm again. */
export const isAway = (error: unknown): error is Refusal => isUndecided(error) && !isLasting(error)

/**
 * By which a problem is known as the same, so that it is said once: its outage, or the sentence without what the system says
 * of it in parentheses, which changes meanwhile.
 */
export const problemOf = (refusal: Refusal): string =>
  (refusal instanceof StoreRefusal ? refusal.outage : undefined) ?? refusal.message.replaceAll(/ \(.*?\)/g, '')

const readOnly: ReadonlySet<RefusalCode> = new Set(['database_newer', 'store_read_only'])

/** True if the board can be read, and takes no writes of this program. */
export const isReadOnly = ({ code }: Refusal): boolean => readOnly.has(code)
