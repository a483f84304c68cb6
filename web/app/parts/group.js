// @ts-check
// Grouping of items by a key. `Map.groupBy` is missing in browsers of 2023.

/**
 * Groups items by key.
 * @template Item
 * @template Key
 * @param {Iterable<Item>} items
 * @param {(item: Item) => Key} keyOf
 * @returns {Map<Key, Item[]>} groups in the order of their first items
 */
export function groupBy(items, keyOf) {
  /** @type {Map<Key, Item[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
