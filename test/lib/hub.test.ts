import { expect, test } from "bun:test";
import { Hub } from "../../src/lib/hub.ts";

test("A listener that throws keeps no other from hearing an event, and is reported", () => {
  const problems: unknown[] = [];
  const heard: string[] = [];
  const hub = new Hub<string>((error, topic) => void problems.push([topic, error]));
  const broken = new Error("broken");
  hub.subscribe("news", (event) => void heard.push(`first: ${event}`));
  hub.subscribe("news", () => {
    throw broken;
  });
  hub.subscribe("news", (event) => void heard.push(`last: ${event}`));
  hub.publish("news", "one");
  hub.publish("news", "two");
  expect(heard).toEqual(["first: one", "last: one", "first: two", "last: two"]);
  expect(problems).toEqual([
    ["news", broken],
    ["news", broken],
  ]);
});

test("A listener that has left, or whose topic is another one, hears nothing", () => {
  const heard: string[] = [];
  const hub = new Hub<string>(() => {});
  const leave = hub.subscribe("news", (event) => void heard.push(event));
  hub.publish("weather", "rain");
  hub.publish("news", "one");
  leave();
  hub.publish("news", "two");
  expect([heard, hub.size]).toEqual([["one"], 0]);
});
