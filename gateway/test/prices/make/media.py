"""Images by token and by image, and videos by the second."""
import prices as p
import usage as u
from core import case


def drawn(name, rules, says, used, prices, model, answer=None, images=1, request=None, **more):
    body = {"images": images, **(answer or {})}
    case("openai-images", name, model=model, provider="openai", wire="images", rules=rules, says=says, answer=body,
         request=request or {}, used=used, prices=prices, **more)


def by_token():
    drawn("gpt-image-1", "I1", "20 tokens of text, 1,056 of the image: 20 x 5 + 1,056 x 40, per million.", {"input": 20, "output": 1056}, p.IMAGE_1, "gpt-image-1",
          {"usage": u.images(input=20, output=1056)}, cost="0.04234")
    drawn("gpt-image-1-with-pictures", "I1 I2", "Pictures that were sent are image input: 20 x 5 + 323 x 10 + 4,160 x 40, per million.",
          {"input": 20, "image_input": 323, "output": 4160}, p.IMAGE_1, "gpt-image-1", {"usage": u.images(input=20, image_input=323, output=4160)}, cost="0.16973")
    drawn("gpt-image-1-edit", "I2", "The same by an edit.", {"input": 12, "image_input": 323, "output": 1056}, p.IMAGE_1, "gpt-image-1",
          {"usage": u.images(input=12, image_input=323, output=1056)}, edit=True)
    drawn("gpt-image-1-four", "I1", "One usage for the four images of the call.", {"input": 9, "output": 4 * 272}, p.IMAGE_1, "gpt-image-1",
          {"usage": u.images(input=9, output=4 * 272)}, images=4, request={"n": 4})
    drawn("gpt-image-1.5", "I3", "Text and images that were made have two prices: 30 x 5 + 100 x 8 + 50 x 10 + 1,000 x 32, per million.",
          {"input": 30, "image_input": 100, "output": 50, "image_output": 1000}, p.IMAGE_15, "gpt-image-1.5",
          {"usage": u.images(input=30, image_input=100, output=1000, text_output=50)}, cost="0.03345")
    drawn("gpt-image-1.5-only-image", "I3", "No text was made.", {"input": 30, "image_output": 1000}, p.IMAGE_15, "gpt-image-1.5", {"usage": u.images(input=30, output=1000, text_output=0)})
    drawn("gpt-image-1.5-large", "I3", "A large edit.", {"input": 300, "image_input": 4000, "output": 200, "image_output": 6240}, p.IMAGE_15, "gpt-image-1.5",
          {"usage": u.images(input=300, image_input=4000, output=6240, text_output=200)}, edit=True)
    drawn("tokens-before-images", "I5", "Tokens count before the price of an image where the sheet has both.", {"input": 20, "output": 272}, p.IMAGE_1, "gpt-image-both",
          {"usage": u.images(input=20, output=272)})
    drawn("image-without-tokens", "I5", "Without usage the price of an image holds.", {"image": 2}, {"image": "0.042"}, "gpt-image-both", images=2, request={"n": 2})


def by_image():
    table = {"1024x1024/standard": "0.04", "1024x1024/hd": "0.08", "1792x1024/standard": "0.08", "1792x1024/hd": "0.12", "1024x1792/standard": "0.08", "1024x1792/hd": "0.12"}
    for kind, price in table.items():
        size, quality = kind.split("/")
        drawn(f"dall-e-3-{size}-{quality}", "I4", f"An image of {size} in {quality} costs {price}.", {"image": 1}, {"image": price}, "dall-e-3", request={"size": size, "quality": quality}, cost=price)
    drawn("dall-e-3-default", "I4", "The defaults of the catalogue, where nothing is chosen.", {"image": 1}, {"image": "0.04"}, "dall-e-3")
    drawn("dall-e-3-three", "I4", "Three images.", {"image": 3}, {"image": "0.08"}, "dall-e-3", images=3, request={"n": 3, "quality": "hd"}, cost="0.24")
    drawn("dall-e-3-answer-decides", "I4", "What the answer names counts before what was asked.", {"image": 1}, {"image": "0.12"}, "dall-e-3",
          {"size": "1792x1024", "quality": "hd"}, request={"size": "auto", "quality": "auto"})
    drawn("dall-e-square", "I4", "A price by size alone.", {"image": 2}, {"image": "0.02"}, "dall-e-square", images=2, request={"n": 2, "size": "1024x1024"})
    drawn("size-without-a-price", "I4 U1", "A size that has no price.", {"image": 1}, {}, "dall-e-square", request={"size": "1792x1024"})


def gemini():
    def made(name, rules, says, used, wire, **more):
        case("google-images", name, model="gemini-2.5-flash-image", provider="google", wire="google-images", rules=rules, says=says,
             answer={"usageMetadata": u.google(**wire)}, request={}, used=used, prices=p.FLASH_IMAGE, **more)

    made("one", "V6", "1,290 tokens of an image: 10 x 0.3 + 1,290 x 30, per million.", {"input": 10, "image_output": 1290}, {"input": 10, "image_output": 1290}, cost="0.038703")
    made("with-text", "V6", "Text beside the image at the text price.", {"input": 10, "output": 25, "image_output": 1290}, {"input": 10, "output": 25, "image_output": 1290})
    made("with-thoughts", "V6 V1", "Thoughts at the text price.", {"input": 10, "image_output": 1290, "reasoning": 200}, {"input": 10, "image_output": 1290, "reasoning": 200})
    made("from-a-picture", "V6 V5", "A picture that was sent costs what text costs.", {"input": 10, "image_input": 258, "image_output": 1290}, {"input": 10, "image": 258, "image_output": 1290})


def videos():
    def film(name, rules, says, model, provider, seconds, price, request, **more):
        used = {"second": seconds} if seconds else {}
        case("video", name, model=model, provider=provider, wire="video", rules=rules, says=says, request=request, used=used, prices={"second": price}, **more)

    for seconds in (4, 8, 12):
        film(f"sora-2-{seconds}", "W1", f"{seconds} seconds at 0.1.", "sora-2", "openai", seconds, "0.1", {"duration_seconds": seconds})
    film("sora-2-default", "W1", "The default length.", "sora-2", "openai", 4, "0.1", {}, cost="0.4")
    film("sora-2-pro-720p", "W1", "0.3 a second in 720p.", "sora-2-pro", "openai", 8, "0.3", {"duration_seconds": 8, "resolution": "720p"}, cost="2.4")
    film("sora-2-pro-1024p", "W1", "0.5 a second in 1024p.", "sora-2-pro", "openai", 12, "0.5", {"duration_seconds": 12, "resolution": "1024p"}, cost="6")
    film("sora-2-failed", "W2", "A video that failed is free.", "sora-2", "openai", 0, "0.1", {"duration_seconds": 8}, fails=True)
    film("veo", "W3", "8 seconds at 0.4.", "veo-3.1", "google", 8, "0.4", {"duration_seconds": 8, "resolution": "720p"})
    film("veo-two", "W3", "Two videos of 6 seconds.", "veo-3.1", "google", 12, "0.4", {"duration_seconds": 6, "n": 2})


def make():
    for part in (by_token, by_image, gemini, videos):
        part()
