/**
 * A numeric setting of a Worker: at most nine digits.
 * @param otherwise the value of an empty, missing or malformed setting
 */
export const numberSetting = <Otherwise extends number | null>(
  setting: string | undefined,
  otherwise: Otherwise,
): number | Otherwise => (setting && /^\d{1,9}$/.test(setting) ? Number(setting) : otherwise)
