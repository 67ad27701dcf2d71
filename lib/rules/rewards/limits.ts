/** The limits of a reward's rules, in requests and in imports. */

export const MAX_RULES = 30

/** In characters. */
export const MAX_RULE_NAME_LENGTH = 100

/** Each kind of cap in several currencies. */
export const MAX_CAPS = 30

/** Of one rule, in all of its lists. */
export const MAX_CONDITIONS = 20

/** Of one condition. */
export const MAX_VALUES = 100

/** In characters: as long as the ids of products and the values of metadata that people compare. */
export const MAX_VALUE_LENGTH = 255

/** A hundred years: more than a rule distinguishes. */
export const MAX_MONTHS = 1_200
