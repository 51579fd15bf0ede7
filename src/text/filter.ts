/** The filter and the saved filters. */
export const filterText = {
  save: (filter: string) => `Save the filter ${filter}`,
  name: 'Name',
  nameHint: 'replaces a filter of the same name',
  needsName: 'A saved filter needs a name.',
  isSaved: (name: string) => `Filter saved as ${name}.`,
  noneSaved: 'No saved filters. {save-filter} saves the current filter.',
  isForgotten: (name: string, filter: string) => `Deleted the saved filter ${name}: ${filter}`,
  /** `+` marks a lower bound: not all tasks were searched. */
  found: (tasks: number, isAll: boolean) => `${tasks}${isAll ? '' : '+'} ${tasks === 1 ? 'task' : 'tasks'}`,
  continues: (key: string, words: readonly string[], more: boolean) =>
    `   ${key} ${words.join(' ')}${more ? ' …' : ''}`,
  savedTitle: 'Saved filters',
} as const
