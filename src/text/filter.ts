/** The filter while it is typed, and those that were saved. */
export const filterText = {
  save: (filter: string) => `Save the filter ${filter}`,
  name: 'Name',
  nameHint: 'one that is there is replaced',
  needsName: 'A saved filter needs a name.',
  isSaved: (name: string) => `The filter is saved as ${name}.`,
  noneSaved: 'No filter is saved yet; {save-filter} saves the one that is typed.',
  isForgotten: (name: string, filter: string) => `The saved filter ${name} is gone; it was ${filter}`,
  /** Where not all were looked at, there may be more. */
  found: (tasks: number, isAll: boolean) => `${tasks}${isAll ? '' : '+'} ${tasks === 1 ? 'task' : 'tasks'}`,
  continues: (key: string, words: readonly string[], more: boolean) => `   ${key} ${words.join(' ')}${more ? ' …' : ''}`,
  savedTitle: 'Saved filters',
} as const
