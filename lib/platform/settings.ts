/**
 * A number among the settings of a Worker, which are texts: digits alone, at most nine.
 *
 * @param otherwise what an empty, missing or malformed setting counts as
 */
export const numberSetting = <Otherwise extends number | null>(
  setting: string | undefined,
  otherwise: Otherwise,
): number | Otherwise => (setting && /^\d{1,9}$/.test(setting) ? Number(setting) : otherwise)
