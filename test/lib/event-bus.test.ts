import { expect, test } from "bun:test";
import { EventBus } from "../../src/lib/events/event-bus.ts";

test("A listener that throws is reported, and the other listeners still receive the event", () => {
  const problems: unknown[] = [];
  const heard: string[] = [];
  const bus = new EventBus<string>((error, topic) => void problems.push([topic, error]));
  const broken = new Error("broken");
  bus.subscribe("news", (event) => void heard.push(`first: ${event}`));
  bus.subscribe("news", () => {
    throw broken;
  });
  bus.subscribe("news", (event) => void heard.push(`last: ${event}`));
  bus.publish("news", "one");
  bus.publish("news", "two");
  expect(heard).toEqual(["first: one", "last: one", "first: two", "last: two"]);
  expect(problems).toEqual([
    ["news", broken],
    ["news", broken],
  ]);
});

test("Events reach neither removed listeners nor listeners of other topics", () => {
  const heard: string[] = [];
  const bus = new EventBus<string>(() => {});
  const leave = bus.subscribe("news", (event) => void heard.push(event));
  bus.publish("weather", "rain");
  bus.publish("news", "one");
  leave();
  bus.publish("news", "two");
  expect([heard, bus.size]).toEqual([["one"], 0]);
});
