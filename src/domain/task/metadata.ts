// The wishes in a task's metadata (JSON): a kind of agent, a host or its labels.

/** The kind in a task's metadata (`{"cli": "gemini"}`, from seed 000's boards). */
export const kindIn = (metadata: string | null | undefined): string | null => {
  const { cli = null } = metadataOf(metadata)
  return typeof cli === 'string' && cli.length > 0 ? cli : null
}

/** The wish of a task for the host of its own worktree. */
export interface PlaceWish {
  /** The name or id of a host; undefined: any. */
  readonly host?: string | undefined
  /** All of them must be labels of the host. */
  readonly labels: readonly string[]
}

/** The wish for a host in a task's metadata (`{"placement": {"host": "b", "labels": ["gpu"]}}`); undefined for none. */
export const placeWishIn = (metadata: string | null | undefined): PlaceWish | undefined => {
  const { placement } = metadataOf(metadata)
  if (placement === null || typeof placement !== 'object') return undefined
  const { host, labels } = placement as { readonly host?: unknown; readonly labels?: unknown }
  const wish = {
    host: typeof host === 'string' && host !== '' ? host : undefined,
    labels: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [],
  }
  return wish.host === undefined && wish.labels.length === 0 ? undefined : wish
}

/** The metadata with this wish instead of its own; a host or labels that are not given stay. */
export const withPlaceWish = (
  metadata: Readonly<Record<string, unknown>>,
  given: { readonly host?: string | null | undefined; readonly labels?: readonly string[] | undefined },
): Readonly<Record<string, unknown>> => {
  const { placement: _, ...rest } = metadata
  const { host, labels = [] } = placeWishIn(JSON.stringify(metadata)) ?? {}
  const next = {
    host: given.host === undefined ? host : (given.host ?? undefined),
    labels: [...new Set(given.labels ?? labels)],
  }
  const placement = {
    ...(next.host === undefined ? {} : { host: next.host }),
    ...(next.labels.length === 0 ? {} : { labels: next.labels }),
  }
  return Object.keys(placement).length === 0 ? rest : { ...rest, placement }
}

/** `on host b with the labels gpu, linux` */
export const wishWords = ({ host, labels }: PlaceWish): string =>
  [
    host === undefined ? 'on a host' : `on host ${host}`,
    ...(labels.length === 0 ? [] : [`with the label${labels.length === 1 ? '' : 's'} ${labels.join(', ')}`]),
  ].join(' ')

/** The same words of a task whose own worktree is not built yet; null if it has no wish, or a host. */
export const wishOf = (task: { readonly targetWorktree: string | null; readonly metadata: unknown }): string | null => {
  const wish = task.targetWorktree === null ? placeWishIn(JSON.stringify(task.metadata ?? null)) : undefined
  return wish === undefined ? null : wishWords(wish)
}

/** The keys of a task's metadata (JSON); none if it is another value than an object. */
export const metadataOf = (metadata: string | null | undefined): Readonly<Record<string, unknown>> => {
  const value: unknown = metadata === null || metadata === undefined ? null : JSON.parse(metadata)
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
}
