/**
 * Texts of which every character takes one column, whatever stands beside it: ASCII, Latin letters, and the marks, borders
 * and blocks that the console draws. What may be an emoji, combine or be wide is not among them.
 */
export const narrow =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2319\u2500-\u25fc\u2600-\u2612\u2690-\u2692\u26a0\u2701-\u2704\u2706-\u2709\u270c-\u2727\u27e6-\u27ef\u2800-\u28ff]*$/
