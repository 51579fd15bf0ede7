const form = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/**
 * Milliseconds of a time in any form that people and agents write (a date, with or without seconds and zone); undefined
 * if it is invalid.
 */
export const momentOf = (text: string): number | undefined => {
  const match = form.exec(text.trim())
  if (!match) return undefined
  const [, date, minutes = '00:00', seconds = ':00', zone = 'Z'] = match
  const day = new Date(`${date}T00:00:00Z`)
  // 31 February would be parsed as a day of March.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return undefined
  const moment = Date.parse(
    `${date}T${minutes}${seconds}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()}`,
  )
  return Number.isNaN(moment) ? undefined : moment
}
