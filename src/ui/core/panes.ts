export const panes = ['board', 'agents', 'log', 'worktrees'] as const
export type Pane = (typeof panes)[number]

/** The panes in which something is selected. */
export type ListPane = Exclude<Pane, 'log'>

/** The column that a list is sorted by; none is the fixed order. */
export type Sorts = Readonly<Partial<Record<ListPane, string>>>
